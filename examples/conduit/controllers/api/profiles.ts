import { APIController, open } from '../../lib/base.ts'
import { OneProfile } from '../../model/schemas.ts'
import { findProfile, setFollowing } from '../../model/users.ts'

export class ProfilesController extends APIController {
  static results = { show: OneProfile, follow: OneProfile, unfollow: OneProfile }
  static override security = { show: open }

  /** Returns the profile of a user. */
  async show(username: string) {
    return { profile: await findProfile(username, this._viewer) }
  }

  /** Follows a user. */
  follow(username: string) {
    return this._set(username, true)
  }

  /** Ends following a user. */
  unfollow(username: string) {
    return this._set(username, false)
  }

  async _set(username: string, isFollowing: boolean) {
    const { id } = await findProfile(username, this._viewer)
    await setFollowing(this._viewer, id, isFollowing)
    return this.show(username)
  }
}
